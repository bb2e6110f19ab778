locals { a = uper("x") }
