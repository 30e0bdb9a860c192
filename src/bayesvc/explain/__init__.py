"""What is said of the selected variables: how large their effects are, and which way they go."""
