import { AppError } from '@lateen/errors';
import { beginningOf, type ProxyFor, proxyErrorIn, unreachableError } from '@lateen/object-store';
import { proxiedAgent } from '@lateen/object-store/proxied-agent';
import { request } from 'undici';

export interface CredentialQuestion {
  url: string;
  method?: 'GET' | 'PUT' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Who is asked, for messages: `the token service sts.amazonaws.com`. */
  who: string;
  /** Absent for what is on the node, which no proxy reaches. */
  proxyFor?: ProxyFor | undefined;
}

/** Services of credentials answer with a few hundred bytes, and near by. */
const limits = { bytesMax: 64 * 1024, connectMs: 5_000, answerMs: 10_000 };

/** The body of a 2xx answer. @throws CREDENTIALS_UNAVAILABLE (no answer, 5xx), CREDENTIALS_INVALID (refused) */
export async function askCredentials(question: CredentialQuestion): Promise<string> {
  const { url, method = 'GET', headers = {}, body, who } = question;
  const waits = { headersTimeout: limits.answerMs, bodyTimeout: limits.answerMs };
  const agent = proxiedAgent({ connect: { timeout: limits.connectMs }, ...waits }, question.proxyFor);
  try {
    const answer = await request(url, { method, headers, dispatcher: agent, ...(body === undefined ? {} : { body }) });
    const text = (await beginningOf(answer.body, limits.bytesMax)).bytes.toString('utf8');
    if (answer.statusCode >= 200 && answer.statusCode < 300) return text;
    throw refused(who, answer.statusCode, text);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const asked = { what: who, tls: url.startsWith('https:'), service: who, setting: '', hostSetting: '' };
    const told = unreachableError(cause, asked);
    throw new AppError('CREDENTIALS_UNAVAILABLE', told.message, {
      retry: 'soon',
      cause: told.cause,
      nextStep: (proxyErrorIn(cause) && told.nextStep) || 'Check the network between the pod and that address.',
    });
  } finally {
    await agent.destroy();
  }
}

/** Its body may repeat what was sent, so only the code and message of an AWS error are taken from it. */
function refused(who: string, status: number, text: string): AppError {
  const code = /<Code>([A-Za-z.]{1,80})<\/Code>/.exec(text)?.[1] ?? /"code"\s*:\s*"([A-Za-z.]{1,80})"/i.exec(text)?.[1];
  const message = /<Message>([^<]{1,300})<\/Message>/.exec(text)?.[1];
  const said = [code, message].filter((part) => part !== undefined).join(': ') || `HTTP ${status}`;
  if (status === 429 || status >= 500) {
    return new AppError('CREDENTIALS_UNAVAILABLE', `${who} answers ${said}`, { retry: 'soon' });
  }
  return new AppError('CREDENTIALS_INVALID', `${who} gives no credentials (${said})`, {
    retry: 'later',
    nextStep: 'Check the role and who may take it (its trust policy).',
  });
}
