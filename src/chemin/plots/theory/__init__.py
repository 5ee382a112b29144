"""How does theory look? Curves, areas, regions and trajectories."""
