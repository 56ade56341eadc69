export { booleanFlag } from './boolean-flag.ts';
export { serverExitCode } from './server-exit-code.ts';
export {
  type ClusterServerConfig,
  clusterServerCommand,
  clusterServerConfig,
  parseServerFlags,
  portFlag,
  programCommand,
  type ServerConfig,
  serverCommand,
  serverConfig,
  withLogFlags,
} from './server-flags.ts';
