import { X509Certificate } from 'node:crypto';
import { type ClientHttp2Session, connect } from 'node:http2';
import { KopiaRepositoryService } from '../generated/repository-server.ts';
import type { RepositoryServer } from '../server/start-server.ts';
import { SessionCall } from './session-call.ts';
import { sessionLost } from './session-errors.ts';
import { sessionLimits } from './session-limits.ts';

/** Of a {@link RepositoryServer}, what a connection to it needs. */
export type SessionPeer = Pick<RepositoryServer, 'address' | 'certificate' | 'user' | 'password'>;

export interface SessionConnection {
  /**
   * Opens the stream of a session: one at a time, and another one only when the server has refused the last.
   * @throws AppError REPOSITORY_SESSION_LOST when the connection has ended
   */
  open(): SessionCall;
  close(): void;
}

/**
 * A connection to the server, which is made for the first stream. The server must show exactly the certificate that it was started with;
 * another one, and everything else that is wrong with the connection, comes as the end of the stream.
 */
export function connectSession(peer: SessionPeer): SessionConnection {
  const pinned = new X509Certificate(peer.certificate);
  const checkServerIdentity = (_: string, { raw }: { raw: Buffer }): Error | undefined =>
    pinned.raw.equals(raw) ? undefined : new Error('it shows another certificate than the server was started with');
  const [username = '', hostname = ''] = peer.user.split('@');
  const headers = {
    ':method': 'POST',
    ':path': KopiaRepositoryService.session.path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-accept-encoding': 'identity',
    'kopia-username': username,
    'kopia-hostname': hostname,
    'kopia-password': peer.password,
  };
  let connected: ClientHttp2Session | undefined;
  const connection = (): ClientHttp2Session => {
    if (connected !== undefined) return connected;
    connected = connect(`https://${peer.address}`, {
      ca: peer.certificate,
      checkServerIdentity,
      // TLS takes no address as the name of a server; which name does not matter, the certificate is compared as a whole.
      servername: 'repository-server',
      settings: { initialWindowSize: sessionLimits.windowBytes },
      // It would end the connection; each message has its own bound.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    // The stream gets it, too.
    connected.on('error', () => {});
    connected.once('connect', (session) => session.setLocalWindowSize(sessionLimits.windowBytes));
    return connected;
  };
  return {
    open: () => {
      try {
        return new SessionCall(connection().request(headers));
      } catch (error) {
        throw sessionLost('the connection has ended', error);
      }
    },
    close: () => connected?.destroy(),
  };
}
