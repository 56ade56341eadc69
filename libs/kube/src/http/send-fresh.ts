import type { HttpAnswer, HttpRequest, HttpTransport } from './http-transport.ts';

/** Sends; after a 401, once more if there are other credentials by now. A 401 had no effect, so writes may repeat too. */
export async function sendFresh(transport: HttpTransport, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await transport.send(request);
  if (answer.status !== 401 || !(await transport.refreshCredentials(answer))) return answer;
  await drain(answer);
  return transport.send(request);
}

export const isGood = (answer: HttpAnswer): boolean => answer.status >= 200 && answer.status < 300;

async function drain(answer: HttpAnswer): Promise<void> {
  for await (const _chunk of answer.body) {
    // Only so that the connection can serve the next request.
  }
}
