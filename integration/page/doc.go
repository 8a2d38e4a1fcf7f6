// Package page tests the page of `zargo serve` in Chromium, which ChromeDriver controls by the protocol
// WebDriver of the W3C. The map of the page is compared pixel by pixel, and its series cell by cell, with
// the output of the commands that the page shows.
//
// The tests need the programs that ZARGO_TEST_BROWSER and ZARGO_TEST_CHROMEDRIVER name. Without them they
// are skipped, or fail if CI=true.
package page
