# é
locals { a = "é�" }
