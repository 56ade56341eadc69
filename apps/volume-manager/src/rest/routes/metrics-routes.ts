import type { Registry } from 'prom-client';
import type { Route } from '../serving/rest-call.ts';

/** `/metrics` for Prometheus: every authenticated user may read it. */
export const metricsRoutes = (registry: Registry): readonly Route[] => [
  {
    path: '/metrics',
    methods: {
      GET: { needs: [], handle: async () => ({ body: await registry.metrics(), contentType: registry.contentType }) },
    },
  },
];
