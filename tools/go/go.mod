module ptxray

go 1.20
