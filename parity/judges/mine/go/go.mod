module mine

go 1.23

require kassay/fixtures v0.0.0

replace kassay/fixtures => ./fixtures
