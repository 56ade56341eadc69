dist
node_modules
