workspace "my app" {}
