"""How does the solution move in the plane of both penalties? Lines in it, and the cells it is made of."""
