"""Labels on a device: PyTorch matches, sorts and counts them where they are."""
