import {
  type ChannelCredentials,
  type Client,
  type ClientOptions,
  credentials,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { type CallHeaders, clientOf, type ServiceClient } from './client.ts';
import { type TlsFiles, tlsChannel } from './tls-files.ts';
import { UnaryPeer } from './unary-peer.ts';
import { socketPathOf } from './unix-endpoint.ts';

/** A generated client class, such as `csi.ControllerClient`. */
export interface GeneratedClient {
  new (address: string, secure: ChannelCredentials, options: ClientOptions): Client;
  service: ServiceDefinition;
}

export interface UnixPeerOptions {
  headers?: CallHeaders;
  /** Longest answer; a longer one is RESOURCE_EXHAUSTED. Default 4 MiB, as gRPC has it everywhere. */
  answerBytesMax?: number;
  /** Makes the calls with one answer that have no deadline; it is of the same endpoint, and not closed with the client. */
  unaryPeer?: UnaryPeer;
}

/** What all clients of a unix socket may share that make many short calls. Dispose to close. */
export const unaryPeer = (endpoint: string, answerBytesMax: number): UnaryPeer =>
  new UnaryPeer(socketPathOf(endpoint), answerBytesMax);

/**
 * A process that has started a program connects to its socket before it exists. By default grpc-js then waits a second: most of the time that the start of an
 * engine took. An attempt at a socket of the same machine costs almost nothing.
 */
const unixOptions = {
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 1_000,
};

/** Connects to a unix socket (lazily: the first call connects). Dispose to close. */
export function connectUnix<Server>(
  endpoint: string,
  makeClient: GeneratedClient,
  { headers = {}, answerBytesMax, unaryPeer: peer }: UnixPeerOptions = {},
): ServiceClient<Server> & Disposable {
  const address = `unix:${socketPathOf(endpoint)}`;
  const longest = answerBytesMax === undefined ? {} : { 'grpc.max_receive_message_length': answerBytesMax };
  const options = { ...unixOptions, ...longest };
  const client = new makeClient(address, credentials.createInsecure(), options);
  return clientOf<Server>(client, makeClient.service, headers, peer);
}

/**
 * A peer that is gone without a word (its node lost power) is found within 15 s. A peer that is back is found within 5 s: the
 * default is two minutes.
 */
export const tcpOptions = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.initial_reconnect_backoff_ms': 500,
  'grpc.max_reconnect_backoff_ms': 5_000,
};

export interface TcpPeer {
  /** Name or address. */
  host: string;
  port: number;
  tls: TlsFiles;
  /** The name that the server's certificate must carry: pods are called by addresses, which no certificate lists. */
  serverName: string;
  headers?: CallHeaders;
}

/**
 * Connects over TCP with TLS of both sides (lazily: the first call connects). Dispose to close.
 * @throws AppError `TLS_FILES` when a file cannot be read or fits no other.
 */
export async function connectTcp<Server>(
  { host, port, tls, serverName, headers = {} }: TcpPeer,
  makeClient: GeneratedClient,
): Promise<ServiceClient<Server> & Disposable> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const options = {
    ...tcpOptions,
    'grpc.ssl_target_name_override': serverName,
    'grpc.default_authority': serverName,
  };
  return clientOf<Server>(new makeClient(address, await tlsChannel(tls), options), makeClient.service, headers);
}
