"""What did the thesis see, and is it seen again? Its experiments, each as one function."""
