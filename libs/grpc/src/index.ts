export type { CallContext, Streaming, Unary } from './call-context.ts';
export type { CallOptions, ServiceClient } from './client.ts';
export { connectTcp, connectUnix, type GeneratedClient, type TcpPeer } from './connect.ts';
export { InFlight, type InFlightKey } from './in-flight.ts';
export { makeService, type Service, type ServiceHandlers, type ServiceOptions } from './service.ts';
export { serveTcp, type TcpPlace, type TcpServer } from './tcp-server.ts';
export type { TlsFiles } from './tls-files.ts';
export { socketPathOf } from './unix-endpoint.ts';
export { serveUnix, type UnixServer } from './unix-server.ts';
