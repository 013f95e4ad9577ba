"""What commands say to people: one file each, whose headline is also "says" in JSON."""
