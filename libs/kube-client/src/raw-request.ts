import { type Exchange, type HttpRequest, type QueryValue, queryText } from '@lateen/kube';

export interface RawRequest {
  /** Default GET. */
  method?: HttpRequest['method'];
  /** `/readyz`, `/apis/…`: percent-encoded, without a query. */
  path: string;
  query?: Readonly<Record<string, QueryValue>>;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
}

/** @returns the body of a 2xx answer; everything else is thrown as a KubeError. */
export function rawSender(exchange: Exchange): (request: RawRequest) => Promise<string> {
  return ({ method = 'GET', path, query = {}, headers = {}, body, signal }) =>
    exchange.text(
      {
        method,
        path: path + queryText(query),
        headers: { accept: 'application/json, */*', ...headers },
        body,
        purpose: `${method} ${path}`,
        streaming: false,
      },
      signal,
    );
}
