/** Buttons that download a chart or a map as an image. */
import { type Picture, savePng, saveSvg } from '../chart/save-chart'

interface Properties {
  /** The name of the files, without the extension. */
  fileName: string
  /** Returns the picture as it is at the moment; null before it is drawn. */
  draw(): Picture | null
}

const FORMATS = { PNG: savePng, SVG: saveSvg }

export function ImageDownloads({ fileName, draw }: Properties) {
  return Object.entries(FORMATS).map(([name, save]) => (
    <button
      key={name}
      type="button"
      onClick={() => {
        const picture = draw()
        if (picture) save(fileName, picture)
      }}
    >
      {name}
    </button>
  ))
}
