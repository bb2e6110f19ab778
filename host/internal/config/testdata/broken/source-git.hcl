secret "GH" { env = "GH_TOKEN" }

workspace "a" {
  source "git" {}
}
workspace "b" {
  source "git" { url = "https://person:hunter2hunter2@example.com/o/r.git" }
}
workspace "c" {
  source "git" { url = "https://ghp_tokentoken@example.com/o/r.git" }
}
workspace "d" {
  source "git" {
    url   = "http://example.com/o/r.git"
    token = secret.GH
  }
}
workspace "e" {
  source "git" {
    url   = "git@example.com:o/r.git"
    token = secret.GH
  }
}
workspace "f" {
  source "git" { url = "ext::sh -c date" }
}
workspace "g" {
  source "git" { url = "../r" }
}
workspace "h" {
  source "git" { url = "ftp://example.com/o/r.git" }
}
workspace "i" {
  source "git" { url = "ssh://-oProxyCommand=date/r" }
}
workspace "j" {
  source "git" {
    url   = "https://example.com/o/r.git"
    ref   = "--upload-pack=date"
    depth = "deep"
    path  = "."
  }
}
workspace "k" {
  source "git" {
    url        = "https://example.com/o/r.git?x=1"
    ref        = "a..b"
    depth      = 0
    submodules = "perhaps"
  }
}
workspace "l" {
  source "git" {
    url   = "file://example.com/r"
    ref   = ""
    token = "ghp_plain_text"
  }
}
workspace "m" {
  source "github" { repo = "https://github.com/owner/app.git" }
}
workspace "n" {
  source "github" {
    repo = "app"
    host = "https://example.com"
    url  = "https://example.com/owner/app.git"
  }
}
workspace "o" {
  source "github" { ref = "main" }
}
workspace "p" {
  source "githab" { repo = "owner/app" }
}
workspace "q" {
  source "local" {
    path = "."
    ref  = "main"
  }
}
workspace "r" {
  source "git" {
    url   = "https://example.com/o/r.git"
    depht = 1
  }
}
