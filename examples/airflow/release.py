"""A release every Monday that nobody has to watch: made, checked again from its files, attacked, then handed on."""

from datetime import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

FOLDER = "/data/stays"  # shoal.toml and patients.csv

with DAG("stays", schedule="0 6 * * 1", start_date=datetime(2026, 1, 5), catchup=False, max_active_runs=1):
    made = BashOperator(task_id="made", cwd=FOLDER, bash_command="shoal run --out release --force")
    judged = BashOperator(
        task_id="judged",
        cwd=FOLDER,
        bash_command="shoal verify release --config shoal.toml --against patients.csv",
    )
    attacked = BashOperator(
        task_id="attacked",
        cwd=FOLDER,
        bash_command="shoal attack release --against patients.csv --fail-above 0.1",
    )
    handed_on = BashOperator(task_id="handed_on", cwd=FOLDER, bash_command="cp -r release /data/public/")

    made >> judged >> attacked >> handed_on
