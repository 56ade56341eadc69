export type { CallContext, Collecting, Conversing, Streaming, Unary } from './call-context.ts';
export { onMessageBytes } from './call-end.ts';
export { type CallOptions, type ServiceClient, trailerOf } from './client.ts';
export {
  connectTcp,
  connectUnix,
  type GeneratedClient,
  type TcpPeer,
  type UnixPeerOptions,
  unaryPeer,
} from './connect.ts';
export { InFlight, type InFlightKey } from './in-flight.ts';
export type { ServeLimits } from './listen.ts';
export { FrameBytes, framed, prefixBytes } from './message-frames.ts';
export { makeService, type Service, type ServiceHandlers, type ServiceOptions } from './service.ts';
export type { WireError } from './status-codes.ts';
export { serveTcp, type TcpPlace, type TcpServer } from './tcp-server.ts';
export type { TlsFiles } from './tls-files.ts';
export { certificateProblem, connectTls, type TlsPeer } from './tls-peer.ts';
export { socketPathOf } from './unix-endpoint.ts';
export { serveUnix, type UnixServer } from './unix-server.ts';
