export { winstonTransport } from '@lateen/logging/winston';
