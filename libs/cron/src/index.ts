export { type CronTimes, intervalMs, parseCron } from './cron-times.ts';
