/** An error of the partner interface. */
export class MetricsError extends Error {
  override readonly name = 'MetricsError'

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The code of the error, such as `NOT_FOUND`. */
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>>,
  ) {
    super(message)
  }

  /** Returns the error of a response. @param body undefined for one that is no JSON, such as that of a proxy */
  static from(status: number, body: unknown): MetricsError {
    const { code, message, details } = (body as { error?: Partial<MetricsError> } | undefined)?.error ?? {}
    return new MetricsError(
      status,
      code ?? 'UNKNOWN',
      message ?? `The response has the status ${status}.`,
      details ?? {},
    )
  }
}

/** Returns the data of a response of `GET`. @throws MetricsError */
export function dataOf<Data>(result: { data?: Data; error?: unknown; response: Response }): Data {
  const { data, error, response } = result
  if (!response.ok) throw MetricsError.from(response.status, error)
  return data as Data
}
