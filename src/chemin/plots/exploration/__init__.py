"""What does exploration look like? Pictures of arrays and names: nothing is estimated here."""
