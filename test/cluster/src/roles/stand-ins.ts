import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createAuthority, issue } from '@lateen/certificates';
import { systemClock } from '@lateen/kernel';
import { s3Keys } from '../repository/s3-server.ts';
import type { Link } from './role-network.ts';
import { signedRequest } from './signature.ts';
import { type Issued, temporaryKeys } from './temporary-keys.ts';

export const region = 'us-east-1';

/** What each service requires before it issues keys. */
export const role = {
  arn: 'arn:aws:iam::123456789012:role/backup',
  sessionName: 'nightly',
  webIdentityToken: 'web-identity-token-0123456789',
  podToken: 'pod-identity-token-0123456789',
  nodeRole: 'node-role',
} as const;

const bucketHosts = ['s3.us-east-1', 's3-us-east-1', 's3.dualstack.us-east-1', 's3'].map(
  (host) => `${host}.amazonaws.com`,
);
const stsHost = `sts.${region}.amazonaws.com`;
const agentAddress = '169.254.170.23';
const metadataAddress = '169.254.169.254';
export const agentUrl = `http://${agentAddress}/v1/credentials`;

export interface StandIns extends AsyncDisposable {
  /** The authority of the certificates, PEM. */
  caPem: string;
  /** The links for the network in which they act as AWS. */
  links: readonly Link[];
  /** All keys that were issued, in order. */
  issued: readonly Issued[];
  /** Rejections: by which service and why. */
  refusals: string[];
  /** Lifetime of new keys. */
  lifeMs: number;
  /** That many of the next writes are answered only after their keys have expired. */
  holdWrites: number;
  /** After a write was held, that many of the next requests for keys get a busy answer. */
  busyAfterHold: number;
  /** Whether the store accepts requests without a session token. */
  takesPlainKeys: boolean;
}

/**
 * AWS's token service, its agent for pods and the metadata service of its nodes, and S3 behind a guard that accepts only the keys that they
 * issue. The guard signs requests again for `s3Endpoint`, which does not support temporary keys.
 */
export async function startStandIns(directory: string, bucket: string, s3Endpoint: string): Promise<StandIns> {
  const keys = temporaryKeys();
  const state = {
    issued: keys.issued,
    refusals: [] as string[],
    lifeMs: 3_600_000,
    holdWrites: 0,
    busyAfterHold: 0,
    takesPlainKeys: false,
  };
  let busy = 0;
  const unlessBusy =
    (listener: RequestListener): RequestListener =>
    (incoming, response) => {
      if (busy === 0) return listener(incoming, response);
      busy--;
      refuse(response, 503, 'ServiceUnavailable', 'keys: busy');
    };
  const give = (by: string) => keys.issue(by, state.lifeMs);
  const refuse = (response: ServerResponse, status: number, code: keyof typeof saidOf, why: string) => {
    state.refusals.push(why);
    const error = `<Error><Code>${code}</Code><Message>${saidOf[code]}</Message></Error>`;
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(why.startsWith('sts') ? `<ErrorResponse xmlns="${stsNamespace}">${error}</ErrorResponse>` : error);
  };

  const sts: RequestListener = async (incoming, response) => {
    const query = new URL(incoming.url ?? '/', 'https://sts').searchParams;
    const asked = new Map([...query, ...new URLSearchParams(await text(incoming))]);
    const wrong = Object.entries({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: role.arn,
      RoleSessionName: role.sessionName,
      WebIdentityToken: role.webIdentityToken,
    }).find(([name, value]) => asked.get(name) !== value);
    if (incoming.method !== 'POST') return refuse(response, 403, 'AccessDenied', 'sts: no POST');
    if (wrong !== undefined) return refuse(response, 403, 'AccessDenied', `sts: another ${wrong[0]} is expected`);
    response.setHeader('content-type', 'text/xml');
    response.end(assumedRole(give('sts')));
  };

  const agent: RequestListener = (incoming, response) => {
    if (incoming.headers.authorization !== role.podToken)
      return refuse(response, 403, 'AccessDenied', 'agent: no token');
    response.end(JSON.stringify(give('agent')));
  };

  const metadata: RequestListener = (incoming, response) => {
    const path = '/latest/meta-data/iam/security-credentials';
    const ask = `${incoming.method} ${incoming.url}`;
    if (ask === 'PUT /latest/api/token' && incoming.headers['x-aws-ec2-metadata-token-ttl-seconds']) {
      return response.end('metadata-session');
    }
    if (incoming.headers['x-aws-ec2-metadata-token'] !== 'metadata-session') {
      return refuse(response, 401, 'AccessDenied', 'metadata: no session');
    }
    if (ask === `GET ${path}/`) return response.end(`${role.nodeRole}\n`);
    if (ask === `GET ${path}/${role.nodeRole}`) return response.end(JSON.stringify(give('node')));
    return refuse(response, 404, 'AccessDenied', `metadata: ${ask}`);
  };

  const s3: RequestListener = async (incoming, response) => {
    const signed = signedRequest(incoming);
    const token = incoming.headers['x-amz-security-token'];
    if (signed === undefined) return refuse(response, 403, 'AccessDenied', 's3: no signature');
    const known = keys.find(signed.accessKeyId);
    if (known === undefined && state.takesPlainKeys && token === undefined) {
      return passOn(incoming, response, s3Endpoint, incoming.headers);
    }
    if (known === undefined || known.keys.Token !== token) {
      return refuse(response, 403, 'AccessDenied', 's3: another session token is expected');
    }
    if (!signed.isSignedBy(known.keys.SecretAccessKey)) {
      return refuse(response, 403, 'SignatureDoesNotMatch', 's3: another signature is expected');
    }
    if (known.isOver) return refuse(response, 400, 'ExpiredToken', 's3: keys that are over');
    known.uses++;
    if (incoming.method === 'PUT' && state.holdWrites > 0) {
      state.holdWrites--;
      await systemClock.sleep(Math.max(0, known.expiresMs - systemClock.now()));
      known.isOver = true;
      busy = state.busyAfterHold;
    }
    passOn(incoming, response, s3Endpoint, signed.headersSignedBy(s3Keys));
  };

  const ca = await createAuthority('lateen roles', systemClock.now());
  const names = [stsHost, ...bucketHosts.flatMap((host) => [host, `${bucket}.${host}`])];
  const leaf = await issue(ca, { subject: 'CN=stand-ins', dnsNames: names, ipAddresses: [] }, systemClock.now());
  const [tlsSocket, plainSocket] = [join(directory, 'tls.sock'), join(directory, 'plain.sock')];
  const servers = [
    createTlsServer({ cert: leaf.certificate, key: leaf.key }, (incoming, response) =>
      (incoming.headers.host?.startsWith('sts.') ? unlessBusy(sts) : s3)(incoming, response as never),
    ).listen(tlsSocket),
    createServer((incoming, response) =>
      unlessBusy(incoming.headers.host === agentAddress ? agent : metadata)(incoming, response as never),
    ).listen(plainSocket),
  ];
  return Object.assign(state, {
    caPem: ca.certificate,
    links: [
      { address: '127.0.0.1', port: 443, names, socket: tlsSocket },
      { address: agentAddress, port: 80, names: [], socket: plainSocket },
      { address: metadataAddress, port: 80, names: [], socket: plainSocket },
    ],
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((closed) => server.close(closed));
      }
    },
  });
}

function passOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  endpoint: string,
  headers: OutgoingHttpHeaders,
): void {
  const [hostname, port] = endpoint.split(':');
  const { method, url: path } = incoming;
  const onward = request({ hostname, port, method, path, headers, setHost: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
}

/** In the format of Amazon S3, which engines parse. */
const saidOf = {
  AccessDenied: 'Access Denied',
  ServiceUnavailable: 'Please reduce your request rate.',
  ExpiredToken: 'The provided token has expired.',
  SignatureDoesNotMatch: 'The request signature we calculated does not match the signature you provided.',
} as const;

const stsNamespace = 'https://sts.amazonaws.com/doc/2011-06-15/';

/** The answer of the AWS Security Token Service API reference, "AssumeRoleWithWebIdentity". */
function assumedRole(keys: ReturnType<ReturnType<typeof temporaryKeys>['issue']>): string {
  const credentials =
    `<AccessKeyId>${keys.AccessKeyId}</AccessKeyId><SecretAccessKey>${keys.SecretAccessKey}</SecretAccessKey>` +
    `<SessionToken>${keys.Token}</SessionToken><Expiration>${keys.Expiration}</Expiration>`;
  return (
    `<AssumeRoleWithWebIdentityResponse xmlns="${stsNamespace}"><AssumeRoleWithWebIdentityResult>` +
    `<Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
  );
}
