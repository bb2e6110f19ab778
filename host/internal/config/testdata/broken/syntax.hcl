provider "localprocess" "a" {
  dir = 
}
