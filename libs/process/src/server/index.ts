export { booleanFlag } from './boolean-flag.ts';
export { serverExitCode } from './server-exit-code.ts';
export { parseServerFlags, type ServerConfig, serverCommand, serverConfig } from './server-flags.ts';
