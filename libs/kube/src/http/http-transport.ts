/** One HTTP exchange, as the adapters see it: everything about Kubernetes is decided before and after. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** What it is for, in errors: `list datauploads.velero.io in namespace velero`. */
  readonly purpose: string;
  /** A watch or a followed log: silence between chunks is normal, so no time limit on the body. */
  readonly streaming: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  /** The value of a header, by its lower-case name. */
  header(name: string): string | undefined;
  /**
   * Must be iterated: to its end, or left early (which closes the connection). Rejects with a KubeError when the
   * connection breaks, with the signal's reason on abort.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Sends requests to one API server with one identity. It adds the server's address and the credentials and repeats
 * nothing by itself.
 */
export interface HttpTransport {
  /** `https://10.96.0.1:443`, for errors. */
  readonly server: string;
  /**
   * Resolves when the headers are there, whatever the status.
   * @throws KUBE_UNAVAILABLE without `details.httpStatus` when there was no answer (see `connection-error.ts`);
   *   the signal's reason on abort.
   */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** After a 401: true when there are other credentials by now than those that got this answer: worth one more try. */
  refreshCredentials(refused: HttpAnswer): Promise<boolean>;
}

/** Reads do not change anything, so they may be repeated whatever happened to the one before. */
export function isRead(request: HttpRequest): boolean {
  return request.method === 'GET';
}
