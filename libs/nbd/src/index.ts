export { type ConnectOptions, connectReplica, connectStatus } from './client/connect-replica.ts';
export { endpointText, nbdUri } from './endpoint.ts';
export { type ServeLimits, type ServeOptions, serveBlocks, serveLimitsDefault } from './server/serve-blocks.ts';
