{
  "name": "{{name}}",
  "version": "0.1.0",
  "private": true,
  "type": "module",
  "scripts": {
    "check": "tsc",
    "test": "node --test \"src/**/*.test.ts\"",
    "build": "node build.mjs"
  },
  "dependencies": {
    "@lateen/plugin": "{{sdk}}"
  },
  "devDependencies": {
    "@types/node": "^24.10.1",
    "esbuild": "^0.28.2",
    "typescript": "^7.0.2"
  },
  "engines": {
    "node": ">=24"
  }
}
