module github.com/mpcvm/mpcvm/scripts/avo

go 1.26

require github.com/mmcloughlin/avo v0.6.0 // indirect
