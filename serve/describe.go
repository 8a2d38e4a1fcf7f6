package serve

// variables sends the names of the variables and coordinates.
func variables(c *call) error {
	d, err := c.dataset()
	if err != nil {
		return err
	}
	names := []string{}
	for _, v := range append(d.Vars(), d.Coords()...) {
		names = append(names, v.Name())
	}
	return c.sendJSON(names)
}
