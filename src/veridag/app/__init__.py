"""The local web app, `veridag app`: from a table to answers for people who do not program.

`server` puts it together, `security` guards it, `project` keeps everything in folders, and a module `*_step` has the
routes of one step of the page. What is learned, said and drawn comes from the layers below.
"""
