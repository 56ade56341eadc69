import { connectionError, type HttpAnswer, type HttpRequest, type HttpTransport } from '@lateen/kube';

/** The minimal transport for `kubeApiOverHttp` to a served fake cluster: plain HTTP, no credentials. */
export function plainHttpTransport(url: string): HttpTransport {
  return {
    server: url,
    refreshCredentials: async () => false,
    async send(request: HttpRequest): Promise<HttpAnswer> {
      request.signal?.throwIfAborted();
      try {
        const { method, headers } = request;
        const response = await fetch(url + request.path, {
          method,
          headers,
          ...(request.body === undefined ? {} : { body: request.body }),
          ...(request.signal === undefined ? {} : { signal: request.signal }),
        });
        return {
          status: response.status,
          header: (name) => response.headers.get(name) ?? undefined,
          body: bodyOf(response, request, url),
        };
      } catch (error) {
        request.signal?.throwIfAborted();
        throw connectionError(error, request, url);
      }
    },
  };
}

async function* bodyOf(response: Response, request: HttpRequest, url: string): AsyncGenerator<Uint8Array, void, void> {
  if (response.body === null) return;
  try {
    yield* response.body as AsyncIterable<Uint8Array>;
  } catch (error) {
    request.signal?.throwIfAborted();
    throw connectionError(error, request, url);
  }
}
