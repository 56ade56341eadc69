import { AppError } from '@lateen/errors';
import fastify from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';

export interface Probes {
  /** Where it listens, for messages and tests. */
  url: string;
  close(): Promise<void>;
}

export interface ProbesOptions {
  address: string;
  port: number;
  /** Undefined when the process can do its work; otherwise what is missing. */
  notReady(): string | undefined;
  /** Adds the process's own metrics to those of Node. */
  register?(registry: Registry): void;
}

/** `/healthz` (the process runs), `/readyz` (it can work), `/metrics` (Prometheus text). @throws PORT_UNAVAILABLE */
export async function startProbes(options: ProbesOptions): Promise<Probes> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  options.register?.(registry);
  const app = fastify();
  app.get('/healthz', async () => 'ok');
  app.get('/readyz', async (_, reply) => {
    const missing = options.notReady();
    return missing === undefined ? 'ok' : reply.code(503).send(missing);
  });
  app.get('/metrics', async (_, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  try {
    const url = await app.listen({ host: options.address, port: options.port });
    return { url, close: () => app.close() };
  } catch (cause) {
    throw new AppError('PORT_UNAVAILABLE', `cannot listen on ${options.address}:${options.port}`, {
      cause,
      nextStep: 'Free the port, or give another one with --port.',
    });
  }
}
