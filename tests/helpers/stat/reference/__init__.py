"""A slow sampler written from the definitions alone, to hold the compiled one against.

Nothing here imports ``bayesvc``. Every quantity is computed the plain way: covariance
matrices in full, trees listed one by one, prior probabilities as products along the tree.
"""
