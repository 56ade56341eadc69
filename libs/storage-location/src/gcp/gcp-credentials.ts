import { AppError } from '@lateen/errors';
import { wrongPodPath } from '../check/pod-path.ts';

/** How a Google location proves who we are. Never log one. */
export type GcpCredentials =
  /** The JSON key of a service account, as it stands in the Secret. */
  | { kind: 'serviceAccount'; json: string; email: string; privateKey: string; projectId?: string }
  /** Workload identity federation: JSON that says where a token is and for what it is exchanged; no key in it. */
  | { kind: 'externalAccount'; json: string; email?: string }
  /** Workload identity of the cluster, or the node's account: the metadata server gives the tokens. `email` signs URLs. */
  | { kind: 'ambient'; email?: string };

/**
 * Reads the JSON a Google location's Secret holds; without any, the pod's own identity is used. `signer` is
 * config.serviceAccount. `where` names the Secret in messages; the content itself is in none of them.
 * @throws CREDENTIALS_INVALID
 */
export function parseGcpCredentials(
  text: string | undefined,
  signer: string | undefined,
  where: string,
): GcpCredentials {
  const email = signer === undefined || signer === '' ? {} : { email: signer };
  if (text === undefined) return { kind: 'ambient', ...email };
  const parsed = parseObject(text, where);
  if (parsed.type === 'external_account') {
    checkFederation(parsed, where);
    return { kind: 'externalAccount', json: text, ...email };
  }
  if (parsed.type !== 'service_account') {
    throw invalid(`${where} is not the key of a Google service account: its "type" is not "service_account"`);
  }
  const { client_email: clientEmail, private_key: privateKey, project_id: projectId } = parsed;
  if (typeof clientEmail !== 'string' || clientEmail === '') throw invalid(`${where} has no client_email`);
  if (typeof privateKey !== 'string' || !privateKey.includes('PRIVATE KEY-----')) {
    throw invalid(`${where} has no PEM private_key`);
  }
  const project = typeof projectId === 'string' && projectId !== '' ? { projectId } : {};
  return { kind: 'serviceAccount', json: text, email: clientEmail, privateKey, ...project };
}

/**
 * Such a JSON says what is read in the pod and to whom it is sent, so it may send to Google alone, and start nothing (Google
 * Cloud documentation, "Security considerations" of workload identity federation).
 */
function checkFederation(federation: Record<string, unknown>, where: string): void {
  for (const field of ['token_url', 'token_info_url', 'service_account_impersonation_url']) {
    const { [field]: address } = federation;
    if (address !== undefined && !isGoogles(address)) throw invalid(`${where} has a ${field} that is none of Google's`);
  }
  const { credential_source: source, universe_domain: universe = 'googleapis.com' } = federation;
  if (universe !== 'googleapis.com') throw invalid(`${where} has a universe_domain that is not Google's`);
  if (typeof source !== 'object' || source === null) return;
  if ('executable' in source) throw invalid(`${where} gets its token from a program, which is not supported`);
  const wrong = 'file' in source ? wrongPodPath(String(source.file), { mayBeApiToken: true }) : undefined;
  if (wrong !== undefined) throw invalid(`${where} has a credential_source whose file ${wrong}`);
}

function isGoogles(address: unknown): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return url?.protocol === 'https:' && url.hostname.endsWith('.googleapis.com') && url.port === '';
}

function parseObject(text: string, where: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // The parser's words would repeat a piece of the key.
  }
  throw invalid(`${where} is not JSON`);
}

function invalid(message: string): AppError {
  return new AppError('CREDENTIALS_INVALID', message, {
    retry: 'later',
    nextStep: 'Put the JSON key file of a service account there, as Google gives it.',
  });
}
