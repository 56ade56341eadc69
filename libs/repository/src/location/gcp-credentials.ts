import { AppError } from '@lateen/errors';

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
  if (parsed.type === 'external_account') return { kind: 'externalAccount', json: text, ...email };
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
