/**
 * A lease on the embedded cluster for programs that end with process.exit. A worker thread holds it: it can still leave
 * the cluster, which takes round trips, while the main thread waits for that in its exit handler.
 */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { openEmbedded } from './embedded-cluster'

const LEAVE_TIMEOUT_MS = 30_000

interface WorkerData {
  dataDir: string
  /** Becomes 1 when the worker has left the cluster. */
  hasLeft: Int32Array
}

/**
 * Joins the embedded cluster until the process exits; the last process to leave it stops it.
 *
 * @param execArgv options with which Node can load this module in a worker
 * @returns the URL of the owner's login
 * @throws OperatorError when the cluster cannot be started
 */
export async function leaseUntilExit(dataDir: string, execArgv: string[]): Promise<string> {
  const hasLeft = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(__filename, { workerData: { dataDir, hasLeft } satisfies WorkerData, execArgv })
  const [ownerUrl] = await once(worker, 'message')
  worker.unref()
  process.once('exit', () => {
    worker.postMessage('leave')
    Atomics.wait(hasLeft, 0, 0, LEAVE_TIMEOUT_MS)
  })
  return ownerUrl
}

async function holdLease({ dataDir, hasLeft }: WorkerData): Promise<void> {
  const { ownerUrl, leave } = await openEmbedded({ dataDir, create: true, print: line => console.error(line) })
  parentPort?.once('message', async () => {
    await leave()
    Atomics.store(hasLeft, 0, 1)
    Atomics.notify(hasLeft, 0)
  })
  parentPort?.postMessage(ownerUrl)
}

if (!isMainThread) holdLease(workerData)
