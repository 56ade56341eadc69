/dist/
/node_modules/
