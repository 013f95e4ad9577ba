"""What a coordinator does with each request, in a file each."""
