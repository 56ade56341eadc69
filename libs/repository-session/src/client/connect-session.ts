import { X509Certificate } from 'node:crypto';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { KopiaRepositoryService } from '../generated/repository-server.ts';
import type { RepositoryServer } from '../server/start-server.ts';
import { requestBytes } from './request-bytes.ts';
import { sessionLimits } from './session-limits.ts';
import type { SessionCall } from './session-stream.ts';

/** Of a {@link RepositoryServer}, what a connection to it needs. */
export type SessionPeer = Pick<RepositoryServer, 'address' | 'certificate' | 'user' | 'password'>;

export interface SessionConnection {
  /** Opens the stream of a session: one at a time, and another one only when the server has refused the last. */
  open(): SessionCall;
  close(): void;
}

const options = {
  'grpc.max_receive_message_length': sessionLimits.messageBytesMax,
  'grpc.max_send_message_length': sessionLimits.messageBytesMax,
  // grpc-js takes HTTPS_PROXY from the environment, for the loopback too.
  'grpc.enable_http_proxy': 0,
  // TLS takes no address as the name of a server; which name does not matter, the certificate is compared as a whole.
  'grpc.ssl_target_name_override': 'repository-server',
  // Connections are not shared: the next server may get the same port.
  'grpc.use_local_subchannel_pool': 1,
};

/**
 * A connection to the server, which is made for the first stream. The server must show exactly the certificate that it has printed;
 * another one, and everything else that is wrong with the connection, comes as an error of the stream.
 */
export function connectSession(peer: SessionPeer): SessionConnection {
  const pinned = new X509Certificate(peer.certificate);
  const checkServerIdentity = (_: string, { raw }: { raw: Buffer }): Error | undefined =>
    pinned.raw.equals(raw) ? undefined : new Error('it shows another certificate than the server has printed');
  const secure = credentials.createSsl(Buffer.from(peer.certificate), null, null, { checkServerIdentity });
  const client = new Client(peer.address, secure, options);
  const [username = '', hostname = ''] = peer.user.split('@');
  const metadata = new Metadata();
  metadata.set('kopia-username', username);
  metadata.set('kopia-hostname', hostname);
  metadata.set('kopia-password', peer.password);
  const { path, responseDeserialize } = KopiaRepositoryService.session;
  return {
    open: () => client.makeBidiStreamRequest(path, requestBytes, responseDeserialize, metadata),
    close: () => client.close(),
  };
}
