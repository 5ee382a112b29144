"""What does a wrong score cost? Losses of the margin, and one classifier for all of them."""
