locals { a = file("nowhere.txt") }
