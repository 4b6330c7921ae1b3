// Command site builds the project's site from a checkout, without the network. It runs at the top of the checkout.
//
//	site [--playground] FOLDER
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	only := flag.Bool("playground", false, "build only the folder of the playground")
	flag.Parse()
	err := errors.New("usage: site [--playground] FOLDER")
	if flag.NArg() == 1 {
		err = build(flag.Arg(0), *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// build writes the site into a folder, which it empties first.
func build(out string, onlyPlayground bool) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return playground(out)
}
