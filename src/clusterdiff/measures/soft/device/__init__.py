"""Sums over pairs of rows on a device, by PyTorch: one fused kernel of Triton, or tiles in turn."""
